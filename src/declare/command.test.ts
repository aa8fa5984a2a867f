import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TimeZone } from "../runtime/time-zone.ts";
import { formed, InputError } from "./command/read-texts.ts";
import { accept, command, mayRun, RoleError, roles } from "./command.ts";
import { duration } from "./duration.ts";
import Type from "./schema/type.ts";

const boil = command({
  id: "eggs.boil",
  title: "Cook…",
  summary: "Boil eggs.",
  role: "operator",
  kind: "change",
  input: Type.Object({
    count: Type.String({ description: "How many." }),
    time: formed(duration, { description: "How long.", default: "5min" }),
    size: Type.Optional(Type.Enum(["small", "large"], { description: "Which." })),
    spice: Type.Optional(Type.Array(Type.Enum(["salt", "pepper"]), { description: "With what." })),
  }),
  answer: Type.Object({}),
  examples: [],
  run: async () => ({}),
});

const utc = new TimeZone("UTC");

suite("a command", () => {
  test("a command may be run by its role and by every higher role", () => {
    assert.deepEqual(
      roles.map((role) => mayRun(role, boil)),
      [false, true, true],
    );
    assert.throws(() => accept(boil, "viewer", { count: "6" }, utc), RoleError);
  });

  test("a command reads texts as typed values, fills in defaults, and leaves out members that nobody gave", () => {
    assert.deepEqual(accept(boil, "operator", { count: "6" }, utc), { count: "6", time: 300_000 });
    assert.deepEqual(accept(boil, "officer", { count: "6", time: "90s", spice: ["salt"] }, utc), {
      count: "6",
      time: 90_000,
      spice: ["salt"],
    });
  });

  test("a command reports all problems of its input at once, by member, and does not repeat the texts", () => {
    const texts = { time: "soon", size: "medium", spice: ["salt", "sugar"] };
    assert.throws(
      () => accept(boil, "operator", texts, utc),
      (problem) => {
        assert.ok(problem instanceof InputError);
        assert.deepEqual(problem.problems, [
          { field: "count", message: "is required" },
          { field: "time", message: "must be a length of time, such as 500ms, 20s, 5min or 24h" },
          { field: "size", message: "must be one of small, large" },
          { field: "spice", message: "must be one of salt, pepper" },
        ]);
        return true;
      },
    );
  });
});
