import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { suite, test } from "node:test";

const documents = globSync("{*.md,deploy/*.md,docs/**/*.md,data/*.md,bench/*.md,client/*.md}");

suite("documents", () => {
  for (const document of documents) {
    test(`${document} names only files that exist`, () => {
      const text = readFileSync(document, "utf8");
      const named = [...text.matchAll(/`((?:src|bin|deploy|test|bench|data|docs|client)\/[\w./-]*)`/g)].map(
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

suite("decisions", () => {
  test("every decision has its own number, and its title states it", () => {
    const pages = globSync("docs/decisions/0*.md").map((page) => basename(page));
    const numbers = pages.map((page) => page.slice(0, 4));
    assert.deepEqual(
      numbers.filter((number, index) => numbers.indexOf(number) !== index),
      [],
    );
    for (const page of pages)
      assert.match(readFileSync(join("docs/decisions", page), "utf8"), new RegExp(`^# ${page.slice(0, 4)} `), page);
  });

  test("the index of decisions lists each decision once, by its title", () => {
    const listed = [...readFileSync("docs/decisions/README.md", "utf8").matchAll(/^- \[(.+)\]\((.+)\)$/gm)];
    const pages = globSync("docs/decisions/0*.md").map((page) => {
      const [, title] = /^# \d{4} (.+)$/m.exec(readFileSync(page, "utf8"))!;
      return [title, basename(page)];
    });
    assert.deepEqual(listed.map(([, title, page]) => [title, page]).toSorted(), pages.toSorted());
  });
});
