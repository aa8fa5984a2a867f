import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { lineForPeople } from "./open-log.ts";

test("on a terminal, a log line has time, level, message and fields", () => {
  const time = new Date(2026, 10, 1, 14, 2, 7, 45).getTime();
  const lines = [
    lineForPeople({ time, level: 30, msg: "ready", url: "http://127.0.0.1:8080" } as never),
    lineForPeople({ time, level: 40, msg: "slow" }),
    lineForPeople({ time, level: 35, msg: "between", text: "two\nlines" } as never),
  ].map(stripVTControlCharacters);
  assert.deepEqual(lines, [
    '14:02:07.045 INFO  ready {"url":"http://127.0.0.1:8080"}\n',
    "14:02:07.045 WARN  slow\n",
    '14:02:07.045 35    between {"text":"two\\nlines"}\n',
  ]);
});
