// noafw-ci is built without ICU, which Foundation's forms of Unicode come from.
#if NOAFW_ONE_FILE
@_spi(_Unicode) import Swift
#else
import Foundation
#endif

extension String {
    /// Marks united with their letters where there is one character for both (Unicode's form NFC).
    package var composed: String {
        #if NOAFW_ONE_FILE
        String(UnicodeScalarView(_nfc))
        #else
        precomposedStringWithCanonicalMapping
        #endif
    }
}
