import { feedInput, feedPlace, limitOf } from "../../../declare/answers/feed.ts";
import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { pageOfRequests, type RequestCursor } from "../read-requests.ts";
import type { RequestRoom } from "../request-log-room.ts";
import { exampleEntry, ofRequests, RequestEntry, requestEntryOf } from "./request-answer.ts";

const exampleNext = "1768469415004-aBcDeFgH-000000000042";

export const listRequests = operation({
  ...ofRequests,
  id: "listRequests",
  path: "/api/v2/requests",
  summary: "Your last requests",
  description:
    "Lists how requests of your account were answered, in the mode of the key, oldest first. " +
    "Without `after` it lists the newest. With the `next` of an earlier answer it lists what came since, and with " +
    "`after=0` all that are kept. " +
    "Entries of the last five seconds may be listed again, so compare their ids. " +
    "Each failure and each verification has an entry, and of look-ups that succeed a sample if you send many. " +
    "Requests to this log have none.",
  input: feedInput("entries", { cursor: "\\d{1,15}-[\\w-]{0,40}", example: exampleNext }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: Type.Array(RequestEntry, { description: "Entries, oldest first" }),
    ...feedPlace,
  }),
  failurePayload: () => ({ data: [] }),
  examples: [
    {
      summary: "The last request",
      input: { limit: "1" },
      answer: {
        success: true,
        status: "success",
        message: "Requests found",
        data: [exampleEntry],
        next: exampleNext,
        more: false,
      },
    },
  ],
  run: async ({ input, caller }, { db, entries, now, paths }: RequestRoom) => {
    await entries?.write();
    const after = input.after === undefined ? undefined : cursorIn(input.after);
    const page = await pageOfRequests(db, caller!, { after, limit: limitOf(input), now: now() });
    return {
      success: true as const,
      status: "success" as const,
      message: page.rows.length === 0 ? "No requests" : "Requests found",
      data: page.rows.map((row) => requestEntryOf(row, { paths })),
      next: `${page.next.written_at}-${page.next.serial}`,
      more: page.more,
    };
  },
});

/** Reads a cursor from a text that has the form of one. */
function cursorIn(text: string): RequestCursor {
  if (text === "0") return { written_at: 0, serial: "" };
  const end = text.indexOf("-");
  return { written_at: Number(text.slice(0, end)), serial: text.slice(end + 1) };
}
