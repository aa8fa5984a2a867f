import { account, orNull, time } from "../../declare/command/answer-schema.ts";
import Type from "../../declare/schema/type.ts";
import { vendors } from "../../vendors/registry.ts";
import { type PausedRoute, type PauseReason, pauseReasons } from "../routes/paused-vendors.ts";
import { worstFirst } from "../routes/vendor-standing.ts";

/** An input member for choosing an identity vendor. */
export const vendorChoice = (description: string) =>
  Type.Enum(
    vendors.map(({ name }) => name),
    { description, isVendor: true },
  );

/** The states of a vendor. `paused`: by a person. */
export const vendorStates = ["paused", ...worstFirst] as const;

export const vendorStateWords: Record<(typeof vendorStates)[number], string> = {
  paused: "paused",
  ready: "ready",
  open: "waits after failures",
  half_open: "trying one call after a wait",
};

/** Members of a response that say who paused a vendor, until when and why. */
export const pauseMembers = {
  paused_by: orNull(account),
  paused_until: orNull(time),
  paused_why: orNull(Type.Enum(Object.keys(pauseReasons) as PauseReason[], { words: pauseReasons })),
};

/** A state says who paused it and until when. */
export const pausedBy = { by: "paused_by", until: "paused_until" } as const;

export function pauseFacts(pause: PausedRoute | undefined) {
  return { paused_by: pause?.by ?? null, paused_until: pause?.until ?? null, paused_why: pause?.why ?? null };
}
