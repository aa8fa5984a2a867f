import assert from "node:assert/strict";
import { test } from "node:test";
import { progressBar } from "./progress.ts";

/** The output of a bar, with each clearing of the line as "|". */
function shownOn(colours: boolean, update: (bar: ReturnType<typeof progressBar>) => void, progressAfter = 0): string {
  const written: string[] = [];
  const err = (text: string) => void written.push(text);
  const stdin = (async function* () {})();
  update(
    progressBar(
      { out() {}, err, environment: {}, stdin, colours: { out: false, err: colours }, progressAfter },
      "rows",
    ),
  );
  return written.join("").replaceAll("\r\x1b[K", "|");
}

test("long work shows how far it is and how fast, on one line that is cleared", () => {
  const text = shownOn(true, (bar) => {
    bar.update(25, 100);
    bar.clear();
  });
  assert.match(text, /^\|\[#{5} {15}\] 25% 25 rows, \d+ a second\|$/);
});

test("progress without a known end has no bar", () => {
  assert.match(
    shownOn(true, (bar) => bar.update(25)),
    /^\|25 rows, \d+ a second$/,
  );
});

test("short work shows nothing", () => {
  const update = (bar: ReturnType<typeof progressBar>) => {
    bar.update(25, 100);
    bar.clear();
  };
  assert.equal(shownOn(true, update, 60_000), "");
});

test("progress writes nothing without a terminal, or without work", () => {
  const unseen = shownOn(false, (bar) => {
    bar.update(1, 2);
    bar.clear();
  });
  assert.equal(unseen, "");
  assert.equal(
    shownOn(true, (bar) => bar.clear()),
    "",
  );
});
