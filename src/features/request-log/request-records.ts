import { type FeatureRecords, mayBeId } from "../../commands/records/record-kinds.ts";

/** Requests, as people look them up. */
export const requestRecords: FeatureRecords = {
  request: {
    show: "requests.list",
    by: "request_id",
    title: ({ request_id }) => String(request_id),
    meta: [],
    members: ["request_id"],
    named: /^(?!-$)./,
    search: async (text, ask) =>
      (mayBeId(text) ? await ask("requests.list", { request_id: text }) : []).map((row) => ({
        request_id: row.request_id,
        at: row.answered_at,
        state: row.code ?? String(row.status),
        about: `${row.operation} of ${row.account}`,
      })),
  },
};
