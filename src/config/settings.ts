import { anyText, httpUrl, type Setting, setting } from "../declare/setting.ts";
import { vendors } from "../vendors/registry.ts";
import { upstreamSettings } from "../vendors/upstream-settings.ts";
import { catalogueSettings } from "./settings/catalogue-settings.ts";
import { eventSettings } from "./settings/event-settings.ts";
import { limitSettings } from "./settings/limit-settings.ts";
import { routeSettings } from "./settings/route-settings.ts";
import { serverSettings } from "./settings/server-settings.ts";
import { verificationSettings } from "./settings/verification-settings.ts";

export const settings = {
  ...serverSettings,
  ...limitSettings,
  ...catalogueSettings,
  ...verificationSettings,
  ...routeSettings,
  ...eventSettings,
  callUrl: setting({
    name: "DUBA_URL",
    default: "http://127.0.0.1:8080",
    about: "Address of the service that `duba call` calls. It may end with /api/v2 or /api.",
    onlyCall: true,
    ...httpUrl,
  }),
  callKey: setting({
    name: "DUBA_API_KEY",
    default: "",
    about: "API key that `duba call` sends.",
    secret: true,
    onlyCall: true,
    ...anyText,
  }),
};

/** All settings of the core. */
export const coreSettings: readonly Setting<unknown>[] = [
  ...Object.values(settings),
  ...Object.values(upstreamSettings),
  ...vendors.flatMap(({ settings }) => Object.values(settings)),
];
