import assert from "node:assert/strict";
import { test } from "node:test";
import { answersOf, headerOf, pickFrom, plainForm, starterSnapshot, textOf } from "../catalogue.fixture.ts";
import { fetchCableProviders } from "./fetchCableProviders.ts";

const catalogue = answersOf(await starterSnapshot(), Date.now);

test("the three cable providers", () => {
  assert.equal(
    textOf(pickFrom(catalogue, fetchCableProviders)),
    '{"success":true,"billers":[' +
      '{"type":"gotv","id":1,"name":"GOTV","narration":"Gotv Cable","image":""},' +
      '{"type":"dstv","id":2,"name":"DSTV","narration":"Dstv Cable","image":""},' +
      '{"type":"startimes","id":3,"name":"STARTIMES","narration":"Startimes Cable","image":""}]}',
  );
});

test("shared caches may keep what anonymous callers are given", () => {
  const form = plainForm(pickFrom(catalogue, fetchCableProviders), true);
  assert.match(headerOf(form, "Cache-Control") ?? "", /^public,/);
});
