import { account, orNull, state, time } from "../../declare/command/answer-schema.ts";
import Type from "../../declare/schema/type.ts";
import { vendors } from "../../vendors/registry.ts";
import { type VendorState, vendorStates } from "../routes/live-vendors.ts";
import { type PausedRoute, type PauseReason, pauseReasons } from "../routes/paused-vendors.ts";

/** An input member for choosing an identity vendor. */
export const vendorChoice = (description: string) =>
  Type.Enum(
    vendors.map(({ name }) => name),
    { description, isVendor: true },
  );

export const vendorStateWords: Record<VendorState, string> = {
  paused: "paused",
  no_money: "wallet is empty",
  bad_credentials: "refuses our credentials",
  bad_settings: "refuses our settings",
  answered_by_stand_in: "a stand-in answers",
  refused: "refuses all attempts",
  bad_response: "answers what cannot be",
  finds_nobody: "finds nobody",
  not_asked: "not asked",
  ready: "ready",
  open: "waits after failures",
  half_open: "tries the next call",
};

/**
 * The colour of each state of a vendor. A vendor that is not ready has the colour of a warning, because its alarm has
 * the rank "costs money" or "waits for somebody". If a check has no vendor left, another alarm has the rank "stops the
 * service".
 */
export const vendorStateTones = Object.fromEntries(
  vendorStates.map((state) => [state, state === "ready" ? "good" : "warn"] as const),
);

/** Members of a response that say who paused a vendor, until when and why. */
export const pauseMembers = {
  paused_by: orNull(account),
  paused_until: orNull(time),
  paused_why: orNull(Type.Enum(Object.keys(pauseReasons) as PauseReason[], { words: pauseReasons })),
};

/** The members that a page shows below the state of a vendor. */
export const pauseMembersOfState = {
  by: "paused_by",
  since: "since",
  until: "paused_until",
  why: { of: "paused_why", words: pauseReasons },
};

/**
 * Returns the schema of a vendor's state. Below it stand the time since when the vendor is not ready, or the author,
 * end and reason of its pause.
 */
export const vendorState = (words: Readonly<Record<string, string>> = vendorStateWords) =>
  state(vendorStates, { words, tones: vendorStateTones, ...pauseMembersOfState });

/** The state of a vendor for people: no vendor serves while the store takes no writes. */
export function stateIn<State extends VendorState | null>(takesWrites: boolean, state: State): State | "not_asked" {
  return takesWrites || state !== "ready" ? state : "not_asked";
}

export function pauseFacts(pause: PausedRoute | undefined) {
  return { paused_by: pause?.by ?? null, paused_until: pause?.until ?? null, paused_why: pause?.why ?? null };
}
