import type { UpstreamNeed } from "../vendors/ports/identity-upstream.ts";

/**
 * Why a vendor that comes earlier, in the order or in the list, did not get the attempt.
 * - `not_sent`: the request did not reach the vendor. `too_dear`: the bills of the verification would have exceeded the
 *   bound.
 * - `dearer`, `too_slow`, `too_many_failures`: its figures give it a later place. `not_compared`: too little is known
 *   about the vendor, and a cheaper one took a place before it.
 * - `share`: the attempt went to a vendor that gets a share of the verifications.
 */
export interface PassedOver {
  vendor: string;
  reason:
    | "other_kind"
    | `needs_${UpstreamNeed}`
    | "paused"
    | "not_ready"
    | "not_sent"
    | "too_dear"
    | "dearer"
    | "too_slow"
    | "too_many_failures"
    | "not_compared"
    | "share";
}

/** The figures by which vendors are compared. */
export interface ComparedFigures {
  vendor: string;
  /** Kobo. Null if the vendor returned no record. */
  costPerFound: number | null;
  /** Milliseconds. Null if above 10 s, or without a response. */
  p95: number | null;
  /** Failures per 100 attempts. */
  failureShare: number;
}

/** Why an attempt was made at this vendor. */
export interface VendorChoice {
  policy: "listed" | "cheapest";
  /** With `cheapest`: the vendors with enough known figures. */
  compared: readonly ComparedFigures[];
  passedOver: readonly PassedOver[];
}

/**
 * The choice as stored, such as `cheapest prembly@5620/500/0.4 dojah@6430/2000/1.2 dojah=dearer`. Null if vendors are
 * tried as listed and none was passed over.
 */
export function storedChoice({ policy, compared, passedOver }: VendorChoice): string | null {
  const figures = compared.map(
    ({ vendor, costPerFound, p95, failureShare }) =>
      `${vendor}@${costPerFound ?? "-"}/${p95 ?? "-"}/${Math.round(failureShare * 10) / 10}`,
  );
  const skipped = passedOver.map(({ vendor, reason }) => `${vendor}=${reason}`);
  return [...(policy === "listed" ? [] : [policy, ...figures]), ...skipped].join(" ") || null;
}

export function readChoice(stored: string | null): VendorChoice {
  const words = stored === null ? [] : stored.split(" ");
  const parts = (mark: string) =>
    words.filter((word) => word.includes(mark)).map((word) => word.split(mark) as [string, string]);
  const numberOf = (text: string) => (text === "-" ? null : Number(text));
  return {
    policy: words[0] === "cheapest" ? "cheapest" : "listed",
    compared: parts("@").map(([vendor, figures]) => {
      const [costPerFound, p95, failureShare] = figures.split("/").map(numberOf) as [
        number | null,
        number | null,
        number,
      ];
      return { vendor, costPerFound, p95, failureShare };
    }),
    passedOver: parts("=").map(([vendor, reason]) => ({ vendor, reason: reason as PassedOver["reason"] })),
  };
}
