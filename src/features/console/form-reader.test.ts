import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { suite, test } from "node:test";
import { fileCommands } from "../../catalogue/commands/file-commands.ts";
import type { ChosenFile } from "../../declare/command/read-texts.ts";
import { readForm } from "./form-reader.ts";
import { readTextsOf } from "./routes/form-texts.ts";

suite("a form with files", () => {
  for (const boundary of ["x", "b7", '"a b"', "-".repeat(20).padEnd(27, "7"), "q".repeat(70)])
    test(`a form with files is read with this boundary: ${boundary}`, async () => {
      const mark = boundary.replaceAll('"', "");
      const note = mark.length < 27 ? `a --${mark} in a line` : "a line";
      const text = [
        `--${mark}`,
        'Content-Disposition: form-data; name="note"',
        "",
        note,
        `--${mark}`,
        'Content-Disposition: form-data; name="file"; filename="a.csv"',
        "Content-Type: text/csv",
        "",
        "code,price\r\nx,1\r\n",
        `--${mark}--`,
        "",
      ].join("\r\n");
      const type = `multipart/form-data; boundary=${boundary}`;
      const form = await readForm(Readable.from([Buffer.from(text)]), type);
      assert.equal(form.get("note"), note);
      assert.equal(await (form.get("file") as File).text(), "code,price\r\nx,1\r\n");
    });

  test("a form's file is read in pieces, so that other requests run in between", async () => {
    const form = new FormData();
    const bytes = randomBytes(4 * 1024 * 1024 + 1);
    form.append("file", new File([bytes], "data-bundles.csv"));
    const [file] = readTextsOf(fileCommands[0]!, form).file as [ChosenFile];
    let [turns, isOver] = [0, false];
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const read = await file.read();
    isOver = true;
    assert.ok(bytes.equals(read));
    assert.ok(turns >= 16, `${turns} turns`);
  });
});
