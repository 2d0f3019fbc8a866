/// libpq's own declarations, and its functions as pointers: the library is loaded only when a server is named. It brings LDAP,
/// Kerberos and GnuTLS, which every verb would wait for.
#pragma once

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

#define CPQ_FUNCTIONS(F) \
    F(PQclear) F(PQconnectPoll) F(PQconnectStartParams) F(PQconninfoFree) F(PQconninfoParse) F(PQconsumeInput) F(PQerrorMessage) \
    F(PQfinish) F(PQflush) F(PQgetResult) F(PQgetisnull) F(PQgetvalue) F(PQisBusy) F(PQnfields) F(PQntuples) F(PQpass) \
    F(PQresultErrorField) F(PQresultErrorMessage) F(PQresultStatus) F(PQsendQueryParams) F(PQsetErrorVerbosity) \
    F(PQsetNoticeReceiver) F(PQsetnonblocking) F(PQsocket) F(PQstatus)

#define CPQ_FIELD(NAME) __typeof__(&NAME) _Nonnull NAME;
struct LibPQ { CPQ_FUNCTIONS(CPQ_FIELD) };
#undef CPQ_FIELD

/// Loads libpq and fills the table.
/// Returns NULL, else what the dynamic linker says, which stays valid until this thread's next call.
const char *_Nullable cpq_load(struct LibPQ *_Nonnull table);
