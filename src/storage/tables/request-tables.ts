import { requestRules } from "../retention/request-rules.ts";
import { hourly } from "../retention/retention-rule.ts";
import { allTables } from "../tables.ts";
import { table } from "./declared-table.ts";

const day = 24 * hourly;
const requestsKept = 7 * day;

export const requestTables = {
  api_request: table({
    columns: allTables.api_request,
    personal: [
      {
        what: "the request that asked for it: id, time, duration, result, reference, which parameters were wrong",
        columns: ["request_id", "written_at", "duration", "status", "code", "reference", "wrong"],
        kept: "yes",
        how: "plain, without anything that was sent",
        until: `${requestsKept / day} days (\`DUBA_REQUEST_LOG\`)`,
        isErased: false,
      },
    ],
    retention: ({ requestLog = requestsKept }) => requestRules(requestLog),
    backup: "none",
  }),
};
