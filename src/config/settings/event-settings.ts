import { networks, setting, timeFrom } from "../../operation/setting.ts";

/** Events, and the webhooks that deliver them. */
export const eventSettings = {
  eventNetworks: setting({
    name: "DUBA_EVENT_NETWORKS",
    default: "",
    about:
      "Private networks in which endpoints of events may be, with https or http. Empty: Duba sends events to public addresses only, and with https unless the endpoint is for test mode.",
    ...networks,
  }),
  eventRetention: setting({
    name: "DUBA_EVENT_RETENTION",
    default: "60d",
    about: "How long Duba keeps events, for GET /api/v2/events and to send them again.",
    // A warning about a month must not be given twice in that month.
    ...timeFrom("32d"),
  }),
};
