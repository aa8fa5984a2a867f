import type { OpenedFeature, ServingCore } from "../../commands/feature.ts";
import { bind } from "../../declare/operation.ts";
import { requestOperations } from "./operations/index.ts";
import { RequestEntries } from "./request-entries.ts";

/** Opens the request log in a serving process. */
export async function openRequestLog(
  { config, store: { db, now }, instance, operations }: ServingCore,
  opened: AsyncDisposableStack,
): Promise<OpenedFeature> {
  const paths = new Map(operations.map(({ id, path }) => [id, path]));
  const entries = config.requestLog === null ? null : new RequestEntries({ db, now, instance });
  opened.defer(() => entries?.write().catch(() => undefined));
  return {
    operations: bind(requestOperations, { db, now, paths, entries }),
    responseLog: entries,
    jobs: [{ name: "write the request log", every: 1_000, run: async () => entries?.write() }],
    metrics: [
      {
        type: "counter",
        name: "request_log_answers_total",
        help:
          "Answers to callers with a key: written to the request log, over the budget of their account, " +
          "or lost because the store was away",
        values: () => Object.entries(entries?.counts ?? {}).map(([outcome, count]) => [{ outcome }, count] as const),
      },
    ],
  };
}
