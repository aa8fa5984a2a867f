{
  "hmac": [
    {
      "version": 1,
      "key": "rdEO/nxLPxPNXqMwhF4jEnT3ImcklHuu2lfPP3ise3w="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "JlNf6okP8FBm9AeJ1Hpnorva+Y7zPyzyg4pAbzPona0="
    }
  ],
  "audit": "vuUnaHKvuIYxkMIpi5EESVVeB+qbAD+a0neH2+kEoEQ="
}
