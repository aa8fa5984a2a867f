import type { UpstreamNeed } from "../../upstreams/ports/identity-upstream.ts";

/**
 * Why a vendor that stands or is listed before the one that was asked was not asked in its place.
 * - `not_sent`: the attempt did not reach it. `too_dear`: the bills of the verification would have been too much.
 * - `dearer`, `too_slow`, `too_many_failures`: by its figures it stands further back. `not_compared`: too little is known of it, and
 *   a cheaper one took a place before it.
 * - `share`: the vendor that was asked gets a share of the verifications.
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

/** What vendors are compared by. */
export interface ComparedFigures {
  vendor: string;
  /** Kobo. Null: it found nobody. */
  costPerFound: number | null;
  /** Milliseconds. Null: later than 10 s. */
  p95: number | null;
  /** Of 100 attempts. */
  failureShare: number;
}

/** Why an attempt was made at its vendor. */
export interface VendorChoice {
  policy: "listed" | "cheapest";
  /** Under `cheapest`: the vendors of which enough is known. */
  compared: readonly ComparedFigures[];
  passedOver: readonly PassedOver[];
}

/** As an attempt keeps it, such as `cheapest prembly@5620/500/0.4 dojah@6430/2000/1.2 dojah=dearer`. Null: as listed, and none was passed over. */
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
