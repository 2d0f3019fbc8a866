import ESPImage
import Testing

@Suite struct ESPImageTests {}
