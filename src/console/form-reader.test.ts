import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { parsedForm } from "./form-reader.ts";

suite("a form with files", () => {
  for (const boundary of ["x", "b7", '"a b"', "-".repeat(20).padEnd(27, "7"), "q".repeat(70)])
    test(`is read whatever its boundary is: ${boundary}`, async () => {
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
      const form = await parsedForm(new Uint8Array(Buffer.from(text)), type);
      assert.equal(form.get("note"), note);
      assert.equal(await (form.get("file") as File).text(), "code,price\r\nx,1\r\n");
    });
});
