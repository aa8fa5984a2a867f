import { setting } from "../../declare/setting.ts";

/** Where Duba sends alarms. */
export const alarmSettings = {
  alarmUrl: setting({
    name: "DUBA_ALARM_URL",
    default: "",
    about:
      'Where Duba says that an alarm begins or ends: a POST with {"text": ' +
      '"…"}, as chat services take it, and beside it the rank, since when, and a link to the console. Empty: ' +
      "nowhere. The text has no personal data. The address must be public, and https.",
    form: "empty, or a URL that begins with https:// or http://",
    read: (text) => (text === "" || /^https?:\/\/[^\s]+$/.test(text) ? text : undefined),
    secret: true,
  }),
};
