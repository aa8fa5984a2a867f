import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { holdsNumber, redactNumbers, urlHoldsNumber } from "./redact.ts";

suite("numbers in a text", () => {
  test("ten or more digits count as a person's number, in any script and with any separators", () => {
    for (const number of [
      ..."22650000012|226500000123|8031415926|08031415926".split("|"),
      ..."2348031415926|+2348031415926|23408031415926|002348031415926".split("|"),
      ..."0803 141 5926|0803-141-5926|(0803) 141-5926|0803.141.5926|08.03.14.15.92.6|0803/141/5926|0803_141_5926".split(
        "|",
      ),
      ..."0803 - 141 - 5926|0803 / 141 / 5926|226.5000.0012|22/65/00/00/01/2|0803\\141\\5926|0803·141·5926".split("|"),
      ..."٢٢٦٥٠٠٠٠٠١٢|２２６５０００００１２|२२६५००००१२३|𝟐𝟐𝟔𝟓𝟎𝟎𝟎𝟎𝟎𝟏𝟐|②②⑥⑤⓪⓪⓪⓪⓪①②|²²⁶⁵⁰⁰⁰⁰⁰¹²".split("|"),
      ..."0803\u00a0141\u202f5926|0803\u200b141\u00ad5926|0803\u2011141\u20145926".split("|"),
      "2\u20e32\u20e36\u20e35\u20e30\u20e30\u20e30\u20e30\u20e30\u20e31\u20e32",
    ]) {
      assert.ok(holdsNumber(number), number);
      for (const text of [
        `Ada ${number}`,
        `${number}, till 2`,
        `2026-11-24 ${number}`,
        `10.0.0.1 ${number}`,
        `5.50 ${number}`,
      ]) {
        assert.ok(holdsNumber(text, { apart: true }), text);
        const masked = redactNumbers(text);
        assert.ok(masked.includes("…") && !holdsNumber(masked), masked);
      }
    }
  });

  test("a long number that contains a date is not treated as a date", () => {
    for (const text of ["000-0-0-1900 0", "080 3-1-1990 5926", "22 2026-11-24 17"]) {
      assert.ok(holdsNumber(text), text);
      assert.equal(redactNumbers(text), "…");
    }
  });

  test("short numbers, dates and amounts are not masked", () => {
    for (const text of [
      "",
      "Order 123456789 of 2026-11-24",
      "Paid ₦12345678.90 on 24/11/2026 10:30, ₦1,234,567.00 is left",
      "192.168.100.200/24 10.20.30.40 2001:db8:1234:5678:9012::1",
      "from 2026-11-01 00:00 to 2026-12-01 00:00",
      "0198a2b4-1234-5678-9012-123456789012",
      "0198a2b4123456789012123456789012",
      "In 2026. 12345678 were counted. 3 of 10, 20, 30, 40, 50",
      "v26.12.1",
    ]) {
      assert.equal(redactNumbers(text), text);
      assert.ok(!holdsNumber(text), text);
    }
  });

  test("with `apart`, digits next to a letter count as part of a word", () => {
    for (const text of ["ref22650000012x", "x5-226500000", "bill-22650000012b"])
      assert.ok(!holdsNumber(text, { apart: true }), text);
    for (const text of ["ref22650000012x", "bill-22650000012b"]) assert.ok(holdsNumber(text), text);
    assert.ok(holdsNumber("x5-22650000012", { apart: true }));
    assert.ok(holdsNumber("22650000012-5x", { apart: true }));
  });

  test("ten to 14 digits in a URL count as a person's number, whatever surrounds them", () => {
    for (const number of "8031415926|08031415926|226500000123|2348031415926|23408031415926|002348031415926".split("|"))
      for (const path of [`hook/${number}`, `hook/of${number}x`, `?of=${number}&at=7`, `${number}/1234567890123456789`])
        assert.ok(urlHoldsNumber(`shop.example.com/${path}`), path);
    for (const path of ["0803/141/5926", "of-0803-141-5926", "२२६५००००१२३", "1234567890123456789/0803-141-5926"])
      assert.ok(urlHoldsNumber(`shop.example.com/${path}`), path);
  });

  test("digits in URLs of Discord, Slack, Teams, Zapier and tunnels do not count as a person's number", () => {
    const hash = "9".repeat(20) + "ab".repeat(10);
    for (const url of [
      "discord.com/api/webhooks/123456789012345/4Q-dEf_2gHi90123jKl",
      "discord.com/api/webhooks/12345678901234567890/90123_Z-dEf",
      "discord.com/api/v10/webhooks/12345678901234567?thread_id=1234567890123456789",
      "hooks.slack.com/services/T024BE7LD/B0LAN2Q65/1234567kAz1qSx2wDc3eRf4v",
      "contoso.webhook.office.com/webhookb2/0198a2b4-1234-5678-9012-123456789012@" +
        "0198a2b4-1234-5678-9012-123456789013/IncomingWebhook/0198a2b4123456789012123456789012/" +
        "0198a2b4-1234-5678-9012-123456789012",
      "default0198a2b412345678901212345678.d5.environment.api.powerplatform.com:443/powerautomate/workflows/" +
        "0198a2b4123456789012123456789012/triggers?api-version=1&sig=a1",
      "hooks.zapier.com/hooks/catch/12345678/38abcd9",
      "4a3f-197-210-85-33.ngrok-free.app/duba",
      `shop.example.com/${hash}`,
    ])
      assert.ok(!urlHoldsNumber(url), url);
  });

  test("numbers in a very long text are found quickly", () => {
    const begun = performance.now();
    for (const part of ["1 ", "1.", "1-", "12.", "a1", "1   ", "2026-11-24 "]) {
      redactNumbers(part.repeat(20_000));
      urlHoldsNumber(part.repeat(20_000));
    }
    assert.ok(performance.now() - begun < 5_000);
  });
});
