{
  "hmac": [
    {
      "version": 1,
      "key": "MXpI9MiMN2zC9dkZgTIRtNsHaMAaHgtxArtgrbp1EPE="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "WH6TGA4ttUWpwEM5pvPyVlgJCrWtR7/ajVaQ03sYA4A="
    }
  ],
  "audit": "KEN5ZC6+C76gwJofAExFt/CQ1nHBNPH30jkKUXY2ZTo="
}
