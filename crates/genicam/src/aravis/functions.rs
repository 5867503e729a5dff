//! The functions of libaravis and of GLib that are used, found when the program runs.

use std::ffi::{CStr, c_char, c_double, c_int, c_uint, c_ulong, c_void};
use std::sync::{Arc, OnceLock};

use libloading::Library;

use crate::error::{CameraError, LIBRARIES};

/// A `GObject` of any class.
pub(super) type Object = *mut c_void;
/// Where a function puts its error; it must hold null before the call.
pub(super) type Error = *mut *mut GError;

/// GLib's error.
#[repr(C)]
pub(super) struct GError {
    pub(super) domain: u32,
    pub(super) code: c_int,
    pub(super) message: *mut c_char,
}

/// A cell of GLib's list.
#[repr(C)]
pub(super) struct GSList {
    pub(super) data: *mut c_void,
    pub(super) next: *mut GSList,
}

/// The handler of a signal: it gets the object and the data that were given with it.
pub(super) type Handler = unsafe extern "C" fn(Object, *mut c_void);
/// The function that releases the data of a handler.
pub(super) type Destroy = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// Declares a table of functions, and the code that fills it. The signatures are the ones of `arv.h` 0.8 and
/// `glib-object.h`.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            fn of(library: &Library) -> Result<Functions, libloading::Error> {
                Ok(Functions {
                    $(
                        // SAFETY: the signature is the one of the C header; the library is never unloaded.
                        $name: unsafe {
                            *library.get::<unsafe extern "C" fn($($argument),*) $(-> $result)?>(
                                stringify!($name),
                            )?
                        },
                    )*
                })
            }
        }
    };
}

functions! {
    // The library and the devices in the network.
    arv_get_major_version() -> c_uint;
    arv_get_minor_version() -> c_uint;
    arv_get_micro_version() -> c_uint;
    arv_enable_interface(*const c_char);
    arv_update_device_list();
    arv_get_n_devices() -> c_uint;
    arv_get_device_id(c_uint) -> *const c_char;
    arv_get_device_serial_nbr(c_uint) -> *const c_char;

    // A camera.
    arv_camera_new(*const c_char, Error) -> Object;
    arv_camera_get_device(Object) -> Object;
    arv_camera_create_stream(Object, *const c_void, *mut c_void, Error) -> Object;
    arv_camera_get_vendor_name(Object, Error) -> *const c_char;
    arv_camera_get_model_name(Object, Error) -> *const c_char;
    arv_camera_get_device_serial_number(Object, Error) -> *const c_char;
    arv_camera_is_gv_device(Object) -> c_int;
    arv_camera_gv_set_stream_options(Object, c_int);
    arv_camera_get_payload(Object, Error) -> c_uint;
    arv_camera_start_acquisition(Object, Error);
    arv_camera_stop_acquisition(Object, Error);
    arv_camera_set_acquisition_mode(Object, c_int, Error);
    arv_camera_get_sensor_size(Object, *mut c_int, *mut c_int, Error);
    arv_camera_get_region(Object, *mut c_int, *mut c_int, *mut c_int, *mut c_int, Error);
    arv_camera_set_region(Object, c_int, c_int, c_int, c_int, Error);
    arv_camera_get_binning(Object, *mut c_int, *mut c_int, Error);
    arv_camera_set_binning(Object, c_int, c_int, Error);
    arv_camera_get_exposure_time(Object, Error) -> c_double;
    arv_camera_set_exposure_time(Object, c_double, Error);
    arv_camera_get_frame_rate(Object, Error) -> c_double;
    arv_camera_set_frame_rate(Object, c_double, Error);
    arv_camera_get_gain(Object, Error) -> c_double;
    arv_camera_set_gain(Object, c_double, Error);

    // The features that a camera describes.
    arv_camera_execute_command(Object, *const c_char, Error);
    arv_camera_get_boolean(Object, *const c_char, Error) -> c_int;
    arv_camera_set_boolean(Object, *const c_char, c_int, Error);
    arv_camera_get_integer(Object, *const c_char, Error) -> i64;
    arv_camera_set_integer(Object, *const c_char, i64, Error);
    arv_camera_get_integer_bounds(Object, *const c_char, *mut i64, *mut i64, Error);
    arv_camera_get_float(Object, *const c_char, Error) -> c_double;
    arv_camera_set_float(Object, *const c_char, c_double, Error);
    arv_camera_get_float_bounds(Object, *const c_char, *mut c_double, *mut c_double, Error);
    arv_camera_get_string(Object, *const c_char, Error) -> *const c_char;
    arv_camera_set_string(Object, *const c_char, *const c_char, Error);
    arv_camera_dup_available_enumerations_as_strings(Object, *const c_char, *mut c_uint, Error) -> *mut *const c_char;
    arv_camera_is_feature_available(Object, *const c_char, Error) -> c_int;
    arv_device_get_feature(Object, *const c_char) -> Object;
    arv_gc_category_get_type() -> usize;
    arv_gc_category_get_features(Object) -> *const GSList;
    arv_gc_command_get_type() -> usize;
    arv_gc_enumeration_get_type() -> usize;
    arv_gc_boolean_get_type() -> usize;
    arv_gc_integer_get_type() -> usize;
    arv_gc_integer_get_unit(Object) -> *const c_char;
    arv_gc_float_get_type() -> usize;
    arv_gc_float_get_unit(Object) -> *const c_char;
    arv_gc_string_get_type() -> usize;
    arv_gc_feature_node_get_type() -> usize;
    arv_gc_feature_node_get_actual_access_mode(Object) -> c_int;
    arv_gc_feature_node_get_tooltip(Object) -> *const c_char;

    // The stream of its images.
    arv_stream_push_buffer(Object, Object);
    arv_stream_timeout_pop_buffer(Object, u64) -> Object;
    arv_stream_get_statistics(Object, *mut u64, *mut u64, *mut u64);
    arv_buffer_new_allocate(usize) -> Object;
    arv_buffer_get_status(Object) -> c_int;
    arv_buffer_get_frame_id(Object) -> u64;
    arv_buffer_get_timestamp(Object) -> u64;
    arv_buffer_get_system_timestamp(Object) -> u64;
    arv_buffer_get_payload_type(Object) -> c_int;
    arv_buffer_get_data(Object, *mut usize) -> *const c_void;
    arv_buffer_get_image_pixel_format(Object) -> u32;
    arv_buffer_get_image_region(Object, *mut c_int, *mut c_int, *mut c_int, *mut c_int);

    // GLib, which libaravis is linked with.
    g_object_unref(Object);
    g_error_free(*mut GError);
    g_free(*mut c_void);
    g_type_check_instance_is_a(Object, usize) -> c_int;
    g_signal_connect_data(Object, *const c_char, Handler, *mut c_void, Destroy, c_int) -> c_ulong;
}

/// The functions of the library, loaded on the first call.
///
/// # Errors
/// [`CameraError`] with the package to install.
pub(super) fn functions() -> Result<&'static Functions, CameraError> {
    static FOUND: OnceLock<Result<Functions, CameraError>> = OnceLock::new();
    FOUND.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Functions, CameraError> {
    // SAFETY: loading runs the library's constructors, which register types of GLib and touch nothing of ours.
    let library = LIBRARIES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
    let library = library.ok_or(CameraError::NoLibrary)?;
    let functions = Functions::of(&library).map_err(|e| CameraError::OtherLibrary(Arc::new(e)));
    // The library is never unloaded: GLib keeps pointers into it for the types that it has registered.
    std::mem::forget(library);
    functions
}

/// A copy of a text of C; empty for null.
pub(super) fn text(found: *const c_char) -> String {
    if found.is_null() {
        return String::new();
    }
    // SAFETY: not null, and libaravis ends its texts with 0; the text is copied before a later call can change it.
    unsafe { CStr::from_ptr(found) }.to_string_lossy().into_owned()
}
