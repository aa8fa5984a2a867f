{
  "hmac": [
    {
      "version": 1,
      "key": "qOaoUiQ5kMcwdGrOnkQfxFGvbM/7T8mVSO2CdNNIFPM="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "uJjSEbusJsXlq44RPapdAmuZPQG+Nb60FDzyUwF2H7U="
    }
  ],
  "audit": "W7K+S0rsPpSxzq0vZhNA7RHmMZYjOyc9dMPe5EDHxH8="
}
