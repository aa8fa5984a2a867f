import { joinTexts, type RichText, richText, type Text } from "../../declare/command/rich-text.ts";
import { nairaText } from "../../declare/money.ts";
import type { Attempt } from "../../ledger/attempts.ts";
import { publicState } from "../../ledger/public-state.ts";
import { type ComparedFigures, type PassedOver, readChoice } from "../../ledger/vendor-choice.ts";
import type { AttemptReason } from "../../vendors/ports/reasons.ts";

const passedOverTexts: Record<PassedOver["reason"], string> = {
  share: "leaves a share of the verifications to it",
  dearer: "costs more for a record",
  too_slow: "was too slow",
  too_many_failures: "failed too often",
  not_compared: "had too few answers to be compared",
  too_dear: "might have cost too much",
  not_sent: "could not be reached",
  other_kind: "does not offer this check",
  needs_consent: "needs a consent that the request did not bring",
  needs_names: "needs names that the request did not bring",
  paused: "was paused by an operator",
  not_ready: "was not ready",
};

const reasonTexts: Partial<Record<AttemptReason, string>> = {
  no_money: "the balance there was empty",
  bad_credentials: "it refused the credentials",
  bad_settings: "it refused the settings",
  refused: "it refused the request",
  rate_limited: "it had too many requests",
  out_of_service: "it was out of service",
  not_done: "it said so later",
  released: "an operator said so",
  record_lost: "it bills its work, and its answer never came",
  timed_out: "it did not answer in time",
  connection_lost: "the connection was lost",
  server_error: "it had an error",
};

const toldTexts: Record<string, string> = {
  verified: "gave the record",
  not_found: "knew nobody with the number",
  phone_mismatch: "knew the number with another phone",
  blocked: "said that the number is blocked",
};

type Explained = Pick<Attempt, "vendor" | "outcome" | "reason" | "why">;

/** Why the attempts went to these vendors in this order, with the result of each attempt. */
export function explainRoute(attempts: readonly Explained[]): RichText {
  if (attempts.length === 0) return ["No vendor was asked."];
  return joinTexts(
    attempts.map((attempt, at) => {
      const { compared, passedOver } = readChoice(attempt.why);
      const skipped = passedOver.map(
        (one) => richText`${{ vendor: one.vendor }} ${whyPassedOver(one, attempt.vendor, compared)}`,
      );
      const why =
        skipped.length > 0 ? richText`, because ${listed(skipped)}` : at === 0 ? ", the first in the order" : "";
      const { vendor } = attempt;
      return richText`${at === 0 ? "" : "Then "}${{ vendor }} was asked${why}, and ${resultOf(attempt)}.`;
    }),
    " ",
  );
}

/** The reason with its figures. */
function whyPassedOver({ vendor, reason }: PassedOver, tried: string, compared: readonly ComparedFigures[]): Text {
  const figuresOf = (name: string) => compared.find((one) => one.vendor === name);
  const [its, other] = [figuresOf(vendor), figuresOf(tried)];
  const text = passedOverTexts[reason];
  if (!its) return text;
  if (reason === "dearer" && other)
    return richText`${text} (${costText(its)}, ${{ vendor: tried }} ${costText(other)})`;
  if (reason === "too_slow") return `${text} (${timeText(its)})`;
  return reason === "too_many_failures" ? `${text} (${its.failureShare} of 100 attempts)` : text;
}

/** The figures of a vendor in words. */
export function comparedText(figures: ComparedFigures): RichText {
  const { vendor, failureShare } = figures;
  return richText`${{ vendor }}: ${costText(figures)}, ${timeText(figures)}, ${failureShare} of 100 attempts failed`;
}

function costText({ costPerFound }: ComparedFigures): string {
  return costPerFound === null ? "no record" : `${nairaText(costPerFound)} a record`;
}

function timeText({ p95 }: ComparedFigures): string {
  return p95 === null ? "more than 5 of 100 answers after 10 s" : `95 of 100 answers within ${p95} ms`;
}

function resultOf({ outcome, reason }: Explained): string {
  if (outcome === "failed" && reason === "bad_response") return "its response could not be trusted";
  // An attempt that has no reason is still running, or the process that made it has ended.
  const because = reason === null ? "no answer of it was stored" : (reasonTexts[reason] ?? "it does not say why");
  if (outcome === "failed") return `did no work: ${because}`;
  if (outcome === "unknown") return `its outcome is not known: ${because}`;
  return toldTexts[publicState({ state: outcome, reason })] ?? publicState({ state: outcome, reason });
}

function listed(parts: readonly RichText[]): RichText {
  return parts.length < 2 ? parts.flat() : richText`${joinTexts(parts.slice(0, -1), ", ")} and ${parts.at(-1)!}`;
}
