import assert from "node:assert/strict";
import { test } from "node:test";
import { isAboutPerson } from "./text-about-person.ts";

const sent = { first_name: "Ọláṣùbọ̀mí Ada", last_name: "O'Bello-Okafor", date_of_birth: "1982-07-09" };

test("a text with a name is about the person, however the name is written", () => {
  for (const text of [
    "Olasubomi",
    "form-OLASUBOMI-2",
    "olasubomi.okafor@consent",
    "o'bello-12",
    "OBELLO",
    "consentOkafor2026",
    "okafor_consent",
    "o-k-a-f-o-r",
    "ada-7",
    "AdaForm",
    "form7ada",
    "adaobellookafor",
  ])
    assert.ok(isAboutPerson(text, sent), text);
});

test("a text with the birth date is about the person, in every order and whatever separates its parts", () => {
  for (const text of [
    ..."1982-07-09 19820709 1982/7/9 09071982 9.7.1982 7/9/1982 07091982 x19820709x 0019820709011".split(" "),
    ..."9-Jul-1982 09jul1982 July9,1982 jul-09-82 090782 820709 9/7/82 consent-09-07-82".split(" "),
  ])
    assert.ok(isAboutPerson(text, sent), text);
});

test("a birth date is found in whatever form the request sends it", () => {
  for (const date_of_birth of [
    ..."1982-07-09|9-Jul-1982|09 July 1982|July 9, 1982|9th July 1982|09/07/1982|07.09.1982|19820709|09071982".split(
      "|",
    ),
    " 1982-07-09T00:00:00 ".slice(0, 11),
  ])
    for (const text of ["c-19820709", "c-09-07-1982"]) assert.ok(isAboutPerson(text, { date_of_birth }), date_of_birth);
});

test("a text without a name or a birth date is not about the person", () => {
  for (const text of [
    ..."canada-1 form-4711 2026-11-27 820710 1982 0709 7982 982 a-1 bell 5198207 97821 9782 0907821 18207090".split(
      " ",
    ),
    "0198a2b4-c5d6-7e8f-9a0b-1c2d3e4f5a6b",
  ])
    assert.ok(!isAboutPerson(text, sent), text);
  // 128 random bits may spell a short name.
  assert.ok(!isAboutPerson("0198fade-c5d6-7e8f-9a0b-1c2d3e4f5a6b", { first_name: "Fade" }));
  assert.ok(isAboutPerson("fade-c5d6", { first_name: "Fade" }));
  for (const odd of ["", " ", "A", "4711", "Юлия", "x".repeat(2_000), "1982", "00-00-1982", "45/45/1982"])
    assert.ok(!isAboutPerson("a-4711-x-1982-00-45", { first_name: odd, last_name: odd, date_of_birth: odd }), odd);
});
