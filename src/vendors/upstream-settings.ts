import { someTime } from "../declare/duration.ts";
import { count, onOff, setting } from "../declare/setting.ts";

/** Settings that all live vendors share. */
export const upstreamSettings = {
  timeout: setting({
    name: "DUBA_UPSTREAM_TIMEOUT",
    default: "15s",
    about:
      "Maximum time for one call to an identity vendor. It must be shorter than DUBA_VERIFICATION_TIMEOUT. " +
      "If you do not set it, calls to another Duba get 25s, because that Duba itself may need 20s.",
    ...someTime,
  }),
  concurrency: setting({
    name: "DUBA_UPSTREAM_CONCURRENCY",
    default: "64",
    about: "Maximum calls to one vendor at the same time, and maximum connections to it.",
    ...count,
  }),
  standIns: setting({
    name: "DUBA_STAND_INS",
    default: "off",
    about:
      "If on, this is a rehearsal: answers of stand-ins of vendors and catalogue sources (duba stand-in) count, " +
      "and the store is a rehearsal for ever. Every answer to a live key then says Duba-Mode: stand-in. " +
      "If off, such an answer is rejected, with an alarm.",
    ...onOff,
  }),
  breakerFailures: setting({
    name: "DUBA_UPSTREAM_BREAKER_FAILURES",
    default: "5",
    about:
      "Duba pauses a vendor for 10 seconds when calls for this many persons fail in a row, " +
      "and then tries one call. Several failures for one person count once.",
    ...count,
  }),
};

/**
 * How long a vendor is paused, in milliseconds: `breakerPause` after failures in a row, `alarmPause` during a lasting
 * alarm, such as an empty balance, which only the operator can end. In a rehearsal pauses are short, because a person
 * tries one number after another.
 */
export function upstreamPauses(isRehearsal: boolean) {
  return isRehearsal ? { breakerPause: 1000, alarmPause: 1000 } : { breakerPause: 10_000, alarmPause: 60_000 };
}
