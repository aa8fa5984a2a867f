import assert from "node:assert/strict";
import { test } from "node:test";
import { answersOf, headerOf, pickFrom, plainForm, starterSnapshot, textOf } from "../catalogue.fixture.ts";
import { fetchDataProviders } from "./fetchDataProviders.ts";

const catalogue = answersOf(await starterSnapshot(), Date.now);

test("the four data providers, ids 1 to 4", () => {
  assert.equal(
    textOf(pickFrom(catalogue, fetchDataProviders)),
    '{"success":true,"billers":[' +
      '{"type":"MTNDATA","id":1,"name":"MTN","narration":"MTN Data","image":""},' +
      '{"type":"AIRTELDATA","id":2,"name":"AIRTEL","narration":"AIRTEL Data","image":""},' +
      '{"type":"GLODATA","id":3,"name":"GLO","narration":"GLO Data","image":""},' +
      '{"type":"9MOBILEDATA","id":4,"name":"9MOBILE","narration":"9MOBILE Data","image":""}]}',
  );
});

test("shared caches may not keep what needs a credential", () => {
  const form = plainForm(pickFrom(catalogue, fetchDataProviders), true);
  assert.match(headerOf(form, "Cache-Control") ?? "", /^private,/);
});
