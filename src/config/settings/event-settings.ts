import { privateNetworks, setting } from "../../declare/setting.ts";

/** Events, and the webhooks that deliver them. */
export const eventSettings = {
  eventNetworks: setting({
    name: "DUBA_EVENT_NETWORKS",
    default: "",
    about:
      "Private networks in which endpoints of events and DUBA_ALARM_URL may be, with https or http. Empty: " +
      "Duba sends to public addresses only, and with https unless the endpoint is for test mode. " +
      "A key with events:manage can add endpoints in them.",
    ...privateNetworks,
  }),
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
