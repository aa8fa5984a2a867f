import { Failure } from "../../../declare/failures.ts";
import { codeField, isPlainId } from "../../../declare/fields.ts";
import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { findRequest } from "../read-requests.ts";
import type { RequestRoom } from "../request-log-room.ts";
import { exampleEntry, ofRequests, RequestEntry, requestEntryOf } from "./request-answer.ts";

const found = { success: true, status: "success", message: "Request found" } as const;

export const getRequest = operation({
  ...ofRequests,
  id: "getRequest",
  path: "/api/v2/requests/{request_id}",
  summary: "What became of a request",
  description:
    "Tells how a request was answered, by the `X-Request-Id` of its answer. " +
    "It knows requests of your account, in the mode of the key, for as long as the service keeps them (7 days " +
    "unless its operator says otherwise): each failure and each verification, and of look-ups that succeed a " +
    "sample if you send many. If you used the id more than once, it tells of the last. " +
    "Nothing of what you sent is kept, but which parameters were wrong.",
  input: Type.Object({ request_id: codeField("The X-Request-Id of the answer.", exampleEntry.request_id) }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: RequestEntry,
  }),
  failures: ["request_not_found"],
  examples: [
    {
      summary: "A verification whose vendor was too slow",
      input: { request_id: exampleEntry.request_id },
      answer: { ...found, data: exampleEntry },
    },
  ],
  run: async ({ input: { request_id }, caller }, { db, entries, paths }: RequestRoom) => {
    // No request has such an id. The text may be a person's number, which must not reach a query or the store's log.
    if (!isPlainId(request_id)) throw new Failure("request_not_found");
    await entries?.write();
    const row = await findRequest(db, caller!, request_id);
    if (!row) throw new Failure("request_not_found");
    return { ...found, data: requestEntryOf(row, { paths }) };
  },
});
