import { coreSettings } from "../config/settings.ts";
import type { Setting } from "../declare/setting.ts";
import { settingsOfFeatures } from "../features.ts";

/** Every setting, of the core and of its features. */
export const everySetting: readonly Setting<unknown>[] = [...coreSettings, ...settingsOfFeatures];
