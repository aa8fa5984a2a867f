import { modeHeader } from "../../../operation/operation.ts";
import type { Log } from "../../../runtime/log.ts";
import type { HttpResult } from "../../http-client.ts";

const header = modeHeader.toLowerCase();

/** Names the header by which a Duba says that an answer was made for a test key. */
export const ofMode = { wantedHeaders: [header] };

/** Whether the answer says so; the operator is then told, since whom a test key verifies is invented. */
export function inTestMode(result: HttpResult, log: Log): boolean {
  const isTest = result.kind === "answered" && /\btest\b/i.test(result.headers?.[header] ?? "");
  if (isTest)
    log.error(
      { vendor: "peer" },
      "It answers in test mode: its people are invented. Give Duba a live key of that server.",
    );
  return isTest;
}
