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
};
