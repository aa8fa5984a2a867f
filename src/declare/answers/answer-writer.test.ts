import assert from "node:assert/strict";
import { suite, test } from "node:test";
import Type from "../schema/type.ts";
import { AnswerError, answerWriter } from "./answer-writer.ts";

const write = answerWriter(
  Type.Object({
    success: Type.Literal(true),
    data: Type.Array(Type.Object({ code: Type.String(), name: Type.Union([Type.String(), Type.Null()]) })),
  }),
);

suite("answerWriter", () => {
  test("the answer writer writes members in the schema's order and drops undeclared ones, at every depth", () => {
    const answer = { extra: 1, data: [{ name: null, secret: "x", code: "a" }], success: true };
    assert.equal(write(answer), '{"success":true,"data":[{"code":"a","name":null}]}');
  });

  test("the answer writer throws for a value that breaks the schema, and its error omits the value", () => {
    for (const data of [[{ code: null, name: "x" }], [{ name: "hidden" }], {}, null])
      assert.throws(
        () => write({ success: true, data }),
        (error: Error) => error instanceof AnswerError && !error.message.includes("hidden"),
      );
  });
});
