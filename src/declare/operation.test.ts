import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { failureBody } from "./answers/envelope.ts";
import { Failure, type FailureCode, failures } from "./failures.ts";
import { bind, failuresOf, operation } from "./operation.ts";
import Type from "./schema/type.ts";

const greet = operation({
  id: "greet",
  method: "GET",
  path: "/greet",
  summary: "Greets",
  description: "Greets.",
  group: "Data",
  documented: false,
  access: "credential",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({}),
  answer: Type.Object({ text: Type.String() }),
  failures: ["provider_not_found"],
  examples: [],
  failurePayload: () => ({ data: [] }),
  run: async (_, room: { word: string }) => ({ text: room.word }),
});

suite("operation", () => {
  test("a bound operation runs with the dependencies given to bind", async () => {
    const [bound] = bind([greet], { word: "sannu" });
    assert.deepEqual(await bound!.run!({} as never, bound!.room), { text: "sannu" });
  });

  test("an operation answers only its declared failures and those that its shape implies", () => {
    const codes = failuresOf(greet as never);
    assert.ok(codes.includes("provider_not_found") && codes.includes("missing_credentials"));
    for (const code of ["validation_failed", "malformed_json", "bvn_not_found", "operation_retired"] as FailureCode[])
      assert.ok(!codes.includes(code));
  });
});

suite("failures", () => {
  test("the body of a failure has its members in order, and the path's payload after `error`", () => {
    const body = failureBody(new Failure("provider_not_found", "No."), "r1", greet as never);
    assert.equal(
      JSON.stringify(body),
      '{"success":false,"status":"failed","message":"No.",' +
        '"error":{"code":"provider_not_found","retryable":false,"request_id":"r1",' +
        '"help":"/docs/errors#provider_not_found"},"data":[]}',
    );
  });

  test("every failure states its cause and its cure in sentences", () => {
    for (const [code, { cause, cure, status }] of Object.entries(failures)) {
      assert.match(cause, /^[A-Z`].*\.$/, code);
      assert.match(cure, /^[A-Z`].*\.$/, code);
      assert.ok(status >= 400 && status < 600, code);
    }
  });
});
