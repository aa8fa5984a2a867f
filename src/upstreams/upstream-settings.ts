import { count, onOff, setting, someTime } from "../operation/setting.ts";

/** Settings that all live vendors share. */
export const upstreamSettings = {
  timeout: setting({
    name: "DUBA_UPSTREAM_TIMEOUT",
    default: "15s",
    about:
      "Maximum time for one call to an identity vendor. It must be shorter than DUBA_VERIFICATION_TIMEOUT. If you do not set it, calls to another Duba get 25s, because that Duba itself may need 20s.",
    ...someTime,
  }),
  concurrency: setting({
    name: "DUBA_UPSTREAM_CONCURRENCY",
    default: "64",
    about: "Maximum calls to one vendor at the same time, and maximum connections to it.",
    ...count,
  }),
  keepAlive: setting({
    name: "DUBA_UPSTREAM_KEEP_ALIVE",
    default: "off",
    about:
      "If on, Duba uses a connection for several calls. Then it can mistake a duplicate response of a vendor for the next one.",
    ...onOff,
  }),
  standIns: setting({
    name: "DUBA_STAND_INS",
    default: "off",
    about:
      "If on, this is a rehearsal: answers of stand-ins of vendors and catalogue sources (duba stand-in) count, and the store is a rehearsal for ever. Every answer to a live key then says Duba-Mode: stand-in. If off, such an answer is rejected, with an alarm.",
    ...onOff,
  }),
  breakerFailures: setting({
    name: "DUBA_UPSTREAM_BREAKER_FAILURES",
    default: "5",
    about:
      "Duba pauses a vendor when calls for this many persons fail in a row. Several failures for one person count once.",
    ...count,
  }),
  breakerPause: setting({
    name: "DUBA_UPSTREAM_BREAKER_PAUSE",
    default: "10s",
    about: "How long Duba pauses a vendor after such failures. Then it tries one call.",
    ...someTime,
  }),
  alarmPause: setting({
    name: "DUBA_UPSTREAM_ALARM_PAUSE",
    default: "60s",
    about: "How long Duba pauses a vendor that reports an empty balance, or refuses our credentials or settings.",
    ...someTime,
  }),
};
