#include <dbus/dbus.h>
#include <sys/eventfd.h>
