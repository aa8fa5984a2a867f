import { nairaText } from "../../declare/money.ts";
import type { ClientResponse, TimeLineEntry, TimeLineParts } from "../../ledger/commands/with-story.ts";
import type { Row } from "../../ledger/ledger.ts";
import { publicState } from "../../ledger/public-state.ts";

/** Audit entries about actions of people. Everything else follows from the ledger. */
const deeds: Readonly<Record<string, string>> = {
  "verification.settled": "settled by hand",
  "attempt.settled": "an attempt settled by hand",
  "books.adjusted": "corrected by hand",
  "verification.noted": "noted",
};

/** Everything that happened to a verification, in the order of time. */
export function timeLine(row: Row, { responses, adjustments, entries, events }: TimeLineParts): TimeLineEntry[] {
  const moments: TimeLineEntry[] = [
    { at: row.created_at, what: `asked, request ${row.request_id}`, by: `key ${row.key_id}` },
  ];
  const add = (at: number | null, what: string, by: string) => at !== null && moments.push({ at, what, by });
  for (const { vendor, started_at, answered_at, outcome, reason, bill, number } of row.attempts) {
    add(started_at, `attempt ${number}`, vendor);
    const reasonWords = reasonText(publicState({ state: outcome, reason }), reason);
    add(
      answered_at,
      `${reasonWords} after ${(answered_at ?? 0) - started_at} ms${bill === null ? "" : `, for ${nairaText(bill)}`}`,
      vendor,
    );
  }
  add(row.completed_at, `ended: ${reasonText(publicState(row), row.reason)}`, "");
  for (const response of responses) add(response.at, `the client got ${responseText(response)}`, "");
  add(row.charged_at, `charged ${nairaText(row.fee)}`, "");
  for (const { at, kobo, reason } of adjustments)
    add(at, `${kobo < 0 ? "gave back" : "charged"} ${nairaText(Math.abs(kobo))}: ${reason}`, "");
  for (const { occurred_at, kind, actor, facts } of entries)
    if (deeds[kind]) add(occurred_at, [deeds[kind], textIn(facts)].filter((text) => text !== "").join(": "), actor);
  for (const { at, type, deliveries } of events) {
    add(at, `told as ${type}`, "");
    for (const { endpoint, state, triedAt } of deliveries) add(triedAt, `${type} ${state}`, endpoint);
  }
  return moments.sort((one, other) => one.at - other.at);
}

/** Text such as "504 upstream_timeout". */
export function responseText({ status, code }: ClientResponse): string {
  return [status, code ?? []].flat().join(" ");
}

function reasonText(state: string, reason: string | null): string {
  const words = reason === null || reason === state ? state : `${state}, ${reason}`;
  return words.replaceAll("_", " ");
}

/** The reason or note of an entry. */
function textIn(facts: string): string {
  try {
    const { reason, note } = JSON.parse(facts) as { reason?: unknown; note?: unknown };
    return String(note ?? reason ?? "");
  } catch {
    return "";
  }
}
