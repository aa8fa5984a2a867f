import assert from "node:assert/strict";
import { test } from "node:test";
import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { inputReader } from "../../declare/schema/validate-input.ts";
import { declaredList, listNames } from "../../lists/index.ts";
import { answersOf, pickFrom, starterSnapshot, textOf } from "../catalogue.fixture.ts";
import { catalogueOperations } from "./index.ts";

const catalogue = answersOf(await starterSnapshot(), Date.now);

test("exactly the lists of the open operations need no credential", () => {
  for (const list of listNames) {
    const operation = catalogueOperations.find(({ path }) => path === `/api/v2/${declaredList(list).served.path}`);
    assert.equal(declaredList(list).isOpen === true, operation?.access === "anonymous", list);
  }
});

test("a failure of a look-up has an empty list where the answer has its list", () => {
  const withLists = catalogueOperations.flatMap(({ id, examples, failurePayload }) => {
    const list = Object.entries(examples[0]!.answer as object).find(([, value]) => Array.isArray(value))?.[0];
    return list ? [{ id, list, payload: failurePayload?.("No.") }] : [];
  });
  assert.ok(withLists.length >= 5);
  for (const { id, list, payload } of withLists) assert.deepEqual(payload, { [list]: [] }, id);
});

for (const operation of catalogueOperations.filter(({ pick }) => pick)) {
  test(`${operation.id}: prepared answers equal what the schema's writer writes`, () => {
    for (const { input } of operation.examples) {
      const text = textOf(pickFrom(catalogue, operation, input));
      assert.equal(answerWriter(operation.answer)(JSON.parse(text)), text);
    }
  });

  for (const { summary, input = {}, answer } of operation.examples)
    test(`${operation.id}: the example "${summary}" is true of the starter catalogue`, () => {
      assert.deepEqual(inputReader(operation.input)(input), { input, problems: [] });
      assert.equal(answerWriter(operation.answer)(answer), JSON.stringify(answer));
      const actual = JSON.parse(textOf(pickFrom(catalogue, operation, input)));
      if (summary.endsWith("shortened")) shorten(actual, answer);
      if (actual.data?.date) actual.data.date = (answer as typeof actual).data.date;
      assert.deepEqual(actual, answer);
    });
}

test("an empty code is refused by the input schema", () => {
  for (const operation of catalogueOperations.filter(({ pick }) => pick))
    for (const name of Object.keys(operation.input.properties)) {
      const { problems } = inputReader(operation.input)({ [name]: "" });
      assert.ok(problems.some(({ field, message }) => field === name && message === `${name} must not be empty.`));
    }
});

/** Cuts each list of `whole` to the length of that list in `part`. */
function shorten(whole: Record<string, unknown>, part: object): void {
  for (const [name, shorter] of Object.entries(part)) {
    const longer = whole[name];
    if (Array.isArray(longer)) longer.length = shorter.length;
    else if (typeof longer === "object" && longer !== null) shorten(longer as Record<string, unknown>, shorter);
  }
}
