import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../src/cli/testing.ts";
import { commandsOf, families } from "../src/commands/families.ts";
import { membersOf, readTexts } from "../src/operation/command/read-texts.ts";
import { mayRun, roles } from "../src/operation/command.ts";

const everyCommand = (await Promise.all(families.map(commandsOf))).flat();

suite("every command", () => {
  test("has a name of its own", () => {
    const ids = everyCommand.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
  });

  for (const command of everyCommand) {
    const { id, kind, input, target = [], examples, records = [] } = command;
    suite(id, () => {
      test("refuses each lower role", () => {
        const allowed = roles.filter((role) => mayRun(role, command));
        assert.deepEqual(allowed, roles.slice(roles.indexOf(command.role)));
        if (kind !== "read") assert.ok(!mayRun("viewer", command));
      });

      test("names its audit entries if it changes something, and none if not", () => {
        assert.equal(records.length > 0, kind !== "read");
      });

      test("names every input in its help, and ends the help with an example", async () => {
        const { exitCode, out, err } = await ran([...id.split("."), "--help"]);
        assert.deepEqual({ exitCode, err }, { exitCode: 0, err: "" });
        for (const { name, member } of membersOf(input)) {
          const shown = target.includes(name) ? name : `--${name.replaceAll("_", "-")}`;
          assert.ok(member.private || out.includes(shown), `${name} is not in the help`);
          assert.match(member.description, /^[A-Z].*[.?]$/s);
        }
        assert.match(out, new RegExp(`\nExamples?:\n {2}duba ${id.replaceAll(".", " ")}`));
      });

      test("has examples that its own reader accepts", () => {
        assert.ok(examples.length > 0);
        for (const example of examples) {
          const { faults } = readTexts(input, example as Record<string, string>);
          assert.deepEqual(
            faults.filter(({ field }) => !membersOf(input).find(({ name }) => name === field)!.member.private),
            [],
          );
        }
      });
    });
  }
});
