import { coreSettings } from "../config/settings.ts";
import type { Setting } from "../declare/setting.ts";
import { settingsOfFeatures } from "../features.ts";

/** Every setting, of the core and of its features, each once: a feature may share one with a vendor. */
export const everySetting: readonly Setting<unknown>[] = [...new Set([...coreSettings, ...settingsOfFeatures])];
