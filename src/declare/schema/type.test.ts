import assert from "node:assert/strict";
import { test } from "node:test";
import Typebox from "typebox";
import { Compile } from "typebox/schema";
import Type from "./type.ts";

test("our schema builders make the same schemas as TypeBox", () => {
  const schemasOf = (make: typeof Type) => {
    const pair = make.Object({ name: make.String(), age: make.Optional(make.Integer({ minimum: 0 })) }, { title: "P" });
    const schemas = [
      ...[pair, make.Omit(pair, ["name"]), make.Omit(pair, ["age"]), make.Object({}), make.Optional(pair)],
      ...[make.Array(pair, { maxItems: 2 }), make.Record(make.String(), pair), make.Union([pair, make.Null()])],
      ...[make.Union([pair], { title: "U" }), make.String({ pattern: "^a" }), make.Number({ title: "N" })],
      ...[make.Boolean({ title: "B" }), make.Enum(["a", "b"], { title: "E" }), make.Literal("a", { title: "L" })],
      ...[make.Literal(1), make.Literal(true), make.Unknown(), make.Unsafe({ holds: "files" })],
    ];
    // Compared as JSON, because the OpenAPI document shows members in this order.
    return schemas.map((schema) => JSON.stringify(schema));
  };
  assert.deepEqual(schemasOf(Type), schemasOf(Typebox));
});

test("a validator refuses a value without a required member", () => {
  const validator = Compile(Type.Object({ name: Type.String(), age: Type.Optional(Type.Integer()) }));
  const values = [{ name: "a" }, { name: "a", age: 1 }, { age: 1 }, { name: "a", age: "1" }];
  assert.deepEqual(
    values.map((value) => validator.Check(value)),
    [true, true, false, false],
  );
});
