import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";

const documents = globSync("{*.md,docs/**/*.md,data/*.md,bench/*.md}");

describe("documents", () => {
  for (const document of documents) {
    it(`${document} names only files that exist`, () => {
      const text = readFileSync(document, "utf8");
      const named = [...text.matchAll(/`((?:src|bin|deploy|test|bench|data|docs)\/[\w./-]*)`/g)].map(
        ([, path]) => path!,
      );
      const linked = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map(([, path]) =>
        join(dirname(document), path!),
      );
      const missing = [...named, ...linked].filter((path) => !existsSync(path));
      assert.deepEqual(missing, []);
    });
  }
});
