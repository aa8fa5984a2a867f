import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { membersOf } from "../src/declare/command/read-texts.ts";
import { everyCommand } from "../src/wire/every-command.ts";

const written = /\bmend\(\s*(?:"[^"]*"|`[^`]*`|richText`(?:[^`])*`),\s*"([\w.-]+)"(?:,\s*\{([^}]*)\})?/g;

suite("what texts propose to do", () => {
  test("every command that a text proposes exists, with the inputs that the text names", async () => {
    const commands = new Map((await everyCommand()).map((command) => [command.id, command]));
    const wrong: string[] = [];
    let count = 0;
    for (const file of globSync("src/**/*.ts"))
      for (const [, id, members = ""] of readFileSync(file, "utf8").matchAll(written)) {
        count += 1;
        const command = commands.get(id!);
        const known = new Set(command && membersOf(command.input).map(({ name }) => name));
        const names = members.split(",").flatMap((member) => /^\s*(\w+)/.exec(member)?.[1] ?? []);
        if (!command || names.some((name) => !known.has(name))) wrong.push(`${file}: ${id} ${names.join(" ")}`);
      }
    assert.deepEqual(wrong, []);
    assert.ok(count > 50, `found ${count}`);
  });
});
