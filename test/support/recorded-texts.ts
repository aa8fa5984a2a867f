import type { Kysely } from "kysely";
import type { Tables } from "../../src/storage/tables.ts";

/** Wraps a store and collects the text of each statement, without repeats. */
export function withRecordedTexts(db: Kysely<Tables>): { db: Kysely<Tables>; texts: Set<string> } {
  const texts = new Set<string>();
  const recording = db.withPlugin({
    transformQuery({ node, queryId }) {
      texts.add(db.getExecutor().compileQuery(node, queryId).sql);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: recording, texts };
}
