import { nairaText } from "../../declare/money.ts";
import type { TimeLineEntry } from "../../ledger/commands/time-line-entry.ts";
import type { ClientResponse, TimeLineParts } from "../../ledger/commands/with-story.ts";
import type { Row } from "../../ledger/ledger.ts";
import { publicState } from "../../ledger/public-state.ts";

/** Audit entries about actions of people. The ledger has what all other entries say. */
const deeds: Readonly<Record<string, string>> = {
  "verification.settled": "settled by hand",
  "attempt.settled": "an attempt settled by hand",
  "books.adjusted": "corrected by hand",
  "verification.noted": "noted",
};

/** Everything that happened to a verification, in the order of time. */
export function timeLine(row: Row, { responses, adjustments, entries, events }: TimeLineParts): TimeLineEntry[] {
  const { key_id, request_id } = row;
  const all: TimeLineEntry[] = [
    {
      at: row.created_at,
      what: `asked, request ${request_id}`,
      by: `key ${key_id}`,
      step: "asked",
      key_id,
      request_id,
    },
  ];
  const add = (at: number | null, entry: Omit<TimeLineEntry, "at" | "by"> & { by?: string }) =>
    at !== null && all.push({ at, by: "", ...entry });
  for (const {
    vendor: by,
    started_at,
    answered_at,
    outcome: state,
    reason,
    http_status,
    bill,
    number,
  } of row.attempts) {
    const outcome = publicState({ state, reason });
    const status = http_status === null ? {} : { status: http_status };
    const how = `${reasonText(outcome, reason)}${http_status === null ? "" : `, HTTP ${http_status}`}`;
    // The attempt may never get an outcome, so the entry of its start already shows the reason.
    const isOpen = answered_at === null && reason !== null;
    const open = isOpen ? { outcome, ...withReason(outcome, reason), ...status } : {};
    add(started_at, { what: `attempt ${number}${isOpen ? `: ${how}` : ""}`, by, step: "question", ...open });
    const took = (answered_at ?? 0) - started_at;
    const [costs, amount] = bill === null ? ["", {}] : [`, for ${nairaText(bill)}`, { amount: bill }];
    const what = `${how} after ${took} ms${costs}`;
    add(answered_at, { what, by, step: "answer", outcome, ...withReason(outcome, reason), ...status, took, ...amount });
  }
  const outcome = publicState(row);
  const ended = { step: "ended", outcome, ...withReason(outcome, row.reason) } as const;
  add(row.completed_at, { what: `ended: ${reasonText(outcome, row.reason)}`, ...ended });
  for (const response of responses) {
    const what = `the client got ${responseText(response)}`;
    add(response.at, { what, step: "response", status: response.status });
  }
  add(row.charged_at, { what: `charged ${nairaText(row.fee)}`, step: "charge", amount: row.fee });
  for (const { at, kobo: amount, reason } of adjustments) {
    const what = `${amount < 0 ? "gave back" : "charged"} ${nairaText(Math.abs(amount))}: ${reason}`;
    add(at, { what, step: "correction", amount });
  }
  for (const { occurred_at, kind, actor: by, facts } of entries) {
    const words = [deeds[kind] ?? "", textIn(facts)].filter((text) => text !== "");
    if (deeds[kind]) add(occurred_at, { what: words.join(": "), by, step: "deed" });
  }
  for (const { at, type: event, deliveries } of events) {
    add(at, { what: `told as ${event}`, step: "event", event });
    for (const { endpoint: by, state: delivery, triedAt } of deliveries)
      add(triedAt, { what: `${event} ${delivery}`, by, step: "delivery", event, delivery });
  }
  return all.sort((one, other) => one.at - other.at);
}

/** Text such as "504 upstream_timeout". */
export function responseText({ status, code }: ClientResponse): string {
  return [status, code ?? []].flat().join(" ");
}

function reasonText(outcome: string, reason: string | null): string {
  return [outcome, ...Object.values(withReason(outcome, reason))].join(", ").replaceAll("_", " ");
}

/** Adds the reason of an outcome, if the reason says more than the outcome. */
function withReason(outcome: string, reason: string | null): { reason?: string } {
  return reason === null || reason === outcome ? {} : { reason };
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
