import { count, onOff, setting, someTime } from "../operation/setting.ts";

/** Settings that all live vendors have in common. */
export const upstreamSettings = {
  timeout: setting({
    name: "DUBA_UPSTREAM_TIMEOUT",
    default: "15s",
    about:
      "How long one identity vendor may take for a question; shorter than DUBA_VERIFICATION_TIMEOUT. Unset, another Duba (peer) has 25s, longer than its own time limit.",
    ...someTime,
  }),
  concurrency: setting({
    name: "DUBA_UPSTREAM_CONCURRENCY",
    default: "64",
    about: "Questions that one vendor is asked at once, and connections to it.",
    ...count,
  }),
  keepAlive: setting({
    name: "DUBA_UPSTREAM_KEEP_ALIVE",
    default: "off",
    about:
      "Whether a connection serves one question after another. On, a vendor that answers twice may answer the next question.",
    ...onOff,
  }),
  breakerFailures: setting({
    name: "DUBA_UPSTREAM_BREAKER_FAILURES",
    default: "5",
    about:
      "People whose questions failed in a row, after which a vendor is not asked for a while; one person counts once.",
    ...count,
  }),
  breakerPause: setting({
    name: "DUBA_UPSTREAM_BREAKER_PAUSE",
    default: "10s",
    about: "How long a vendor that failed too often is not asked; then one question tries.",
    ...someTime,
  }),
  alarmPause: setting({
    name: "DUBA_UPSTREAM_ALARM_PAUSE",
    default: "60s",
    about: "The same for a vendor that has no money left for us, or does not take our credentials or settings.",
    ...someTime,
  }),
};
