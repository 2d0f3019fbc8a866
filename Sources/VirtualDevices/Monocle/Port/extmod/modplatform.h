// modsys.c asks for it; the unit's sys tells nothing of its platform.
