import type { Kysely } from "kysely";
import { withTimeout } from "../runtime/timeout.ts";
import { tryWrite } from "./store.ts";
import type { Tables } from "./tables.ts";

/** If a write takes longer than this, in milliseconds, the store counts as refusing writes. */
const patience = 2_000;

/** Whether the store accepts a write within two seconds. Never rejects. */
export async function takesWritesNow(db: Kysely<Tables>): Promise<boolean> {
  return (await withTimeout(tryWrite(db), patience)) === true;
}
