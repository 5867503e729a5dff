//! A camera: its name, its settings, and the features that it describes.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use livetime_engine::Refusal;

use super::functions::{Error, Functions, Object, functions, text};
use super::stream::Stream;
use crate::error::CameraError;

type Result<T> = std::result::Result<T, CameraError>;

/// A camera that was opened and is controlled by us.
pub(crate) struct Camera {
    functions: &'static Functions,
    object: Object,
    lost: Arc<AtomicBool>,
}

// SAFETY: libaravis has no state of a thread; `Camera` is not `Sync`, so only one thread uses it at a time.
unsafe impl Send for Camera {}

/// First and last allowed value.
pub(crate) type Range<T> = (T, T);

/// The type of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A group of features.
    Category,
    /// Something to do.
    Command,
    /// One of several names.
    Enumeration,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Float,
    /// A text.
    Text,
}

/// The access to a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Only read.
    Read,
    /// Only written.
    Write,
    /// Both.
    Both,
}

/// The description of a feature by the camera.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) access: Access,
    pub(crate) tooltip: String,
    /// Empty when there is none.
    pub(crate) unit: String,
    /// Of a category, the names of its features.
    pub(crate) members: Vec<String>,
}

/// The list of devices of libaravis is one for the whole process: only one thread searches at a time.
static SEARCH: Mutex<()> = Mutex::new(());

impl Camera {
    /// Opens the camera with this name, id, address or serial number; an empty name means the first one that is found.
    /// `Fake_1` is the camera that libaravis simulates.
    ///
    /// This searches in all networks and takes up to some seconds.
    ///
    /// # Errors
    /// The error of libaravis, or that it is not installed.
    pub(crate) fn open(name: &str) -> Result<Camera> {
        let functions = functions()?;
        let _one_at_a_time = SEARCH.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if name.starts_with("Fake") {
            // SAFETY: the name of an interface, which is copied or compared only.
            unsafe { (functions.arv_enable_interface)(c"Fake".as_ptr()) };
        }
        let object = match open(functions, name) {
            Ok(object) => object,
            Err(error) => match id_of_serial(functions, name) {
                Some(id) => open(functions, &id)?,
                None => return Err(error),
            },
        };
        let camera = Camera { functions, object, lost: Arc::default() };
        camera.watch();
        Ok(camera)
    }

    /// Has `lost` set when the camera is gone.
    fn watch(&self) {
        let data = Arc::into_raw(self.lost.clone()).cast_mut().cast();
        // SAFETY: the device lives as long as the camera; the data are a reference of their own, which `forget`
        // gives back when the signal is disconnected, at the latest with the device.
        unsafe {
            let device = (self.functions.arv_camera_get_device)(self.object);
            let name = c"control-lost".as_ptr();
            (self.functions.g_signal_connect_data)(device, name, set, data, forget, 0);
        }
    }

    /// Whether the camera said that it is gone, or that another program has taken it over.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    pub(crate) fn vendor(&self) -> Result<String> {
        self.text_of(self.functions.arv_camera_get_vendor_name)
    }

    pub(crate) fn model(&self) -> Result<String> {
        self.text_of(self.functions.arv_camera_get_model_name)
    }

    pub(crate) fn serial_number(&self) -> Result<String> {
        self.text_of(self.functions.arv_camera_get_device_serial_number)
    }

    /// Begins to send images into a new stream of this many buffers. `packet_socket`: see the parameter.
    pub(crate) fn acquire(&self, buffers: u32, packet_socket: bool) -> Result<Stream> {
        // SAFETY: the camera is alive; only a camera of GigE Vision has these options. 1 is not to use such a socket.
        unsafe {
            if (self.functions.arv_camera_is_gv_device)(self.object) != 0 {
                (self.functions.arv_camera_gv_set_stream_options)(self.object, (!packet_socket).into());
            }
        }
        // SAFETY: the camera is alive. 0 is continuous: how many images are wanted is counted by the node.
        self.call(|camera, error| unsafe {
            (self.functions.arv_camera_set_acquisition_mode)(camera, 0, error)
        })?;
        let payload = self.get(self.functions.arv_camera_get_payload)? as usize;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        let object = self.call(|camera, error| unsafe {
            (self.functions.arv_camera_create_stream)(camera, ptr::null(), ptr::null_mut(), error)
        })?;
        if object.is_null() {
            return Err(CameraError::NoStream);
        }
        let stream = Stream::new(self.functions, object, payload, buffers);
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe { (self.functions.arv_camera_start_acquisition)(camera, error) })?;
        Ok(stream)
    }

    /// Sends no more images.
    pub(crate) fn halt(&self) -> Result<()> {
        self.get(self.functions.arv_camera_stop_acquisition)
    }

    /// Width and height of the sensor.
    pub(crate) fn sensor(&self) -> Result<[i64; 2]> {
        let mut size = [0; 2];
        let [width, height] = &mut size;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe {
            (self.functions.arv_camera_get_sensor_size)(camera, width, height, error)
        })?;
        Ok(size.map(i64::from))
    }

    /// First column, first row, width, height of the images.
    pub(crate) fn region(&self) -> Result<[i64; 4]> {
        let mut region = [0; 4];
        let [x, y, width, height] = &mut region;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe {
            (self.functions.arv_camera_get_region)(camera, x, y, width, height, error)
        })?;
        Ok(region.map(i64::from))
    }

    pub(crate) fn set_region(&self, region: [i64; 4]) -> Result<()> {
        let [x, y, width, height] = small(region)?;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe {
            (self.functions.arv_camera_set_region)(camera, x, y, width, height, error)
        })
    }

    /// Columns and rows that are joined to one.
    pub(crate) fn binning(&self) -> Result<[i64; 2]> {
        let mut bins = [0; 2];
        let [x, y] = &mut bins;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe { (self.functions.arv_camera_get_binning)(camera, x, y, error) })?;
        Ok(bins.map(i64::from))
    }

    pub(crate) fn set_binning(&self, bins: [i64; 2]) -> Result<()> {
        let [x, y] = small(bins)?;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe { (self.functions.arv_camera_set_binning)(camera, x, y, error) })
    }

    /// In s.
    pub(crate) fn exposure_s(&self) -> Result<f64> {
        Ok(self.get(self.functions.arv_camera_get_exposure_time)? * 1e-6)
    }

    pub(crate) fn set_exposure_s(&self, seconds: f64) -> Result<()> {
        self.set(self.functions.arv_camera_set_exposure_time, seconds * 1e6)
    }

    /// In Hz.
    pub(crate) fn frame_rate(&self) -> Result<f64> {
        self.get(self.functions.arv_camera_get_frame_rate)
    }

    pub(crate) fn set_frame_rate(&self, hz: f64) -> Result<()> {
        self.set(self.functions.arv_camera_set_frame_rate, hz)
    }

    /// In the camera's own unit, mostly dB.
    pub(crate) fn gain(&self) -> Result<f64> {
        self.get(self.functions.arv_camera_get_gain)
    }

    pub(crate) fn set_gain(&self, gain: f64) -> Result<()> {
        self.set(self.functions.arv_camera_set_gain, gain)
    }

    /// The description of the feature `name`.
    pub(crate) fn node(&self, name: &str) -> Option<Node> {
        let f = self.functions;
        let c_name = CString::new(name).ok()?;
        // SAFETY: the device and its nodes live as long as the camera, and this thread alone uses them. Each function
        // is called on a node of the class that was asked for just before.
        unsafe {
            let node = (f.arv_device_get_feature)((f.arv_camera_get_device)(self.object), c_name.as_ptr());
            let is = |class: usize| (f.g_type_check_instance_is_a)(node, class) != 0;
            if node.is_null() || !is((f.arv_gc_feature_node_get_type)()) {
                return None;
            }
            let kinds = [
                // An enumeration can be read as a number and as a text, too: the first class that fits counts.
                (Kind::Category, (f.arv_gc_category_get_type)()),
                (Kind::Command, (f.arv_gc_command_get_type)()),
                (Kind::Enumeration, (f.arv_gc_enumeration_get_type)()),
                (Kind::Boolean, (f.arv_gc_boolean_get_type)()),
                (Kind::Integer, (f.arv_gc_integer_get_type)()),
                (Kind::Float, (f.arv_gc_float_get_type)()),
                (Kind::Text, (f.arv_gc_string_get_type)()),
            ];
            let kind = kinds.into_iter().find(|(_, class)| is(*class))?.0;
            let unit = match kind {
                Kind::Integer => text((f.arv_gc_integer_get_unit)(node)),
                Kind::Float => text((f.arv_gc_float_get_unit)(node)),
                _ => String::new(),
            };
            let access = match (f.arv_gc_feature_node_get_actual_access_mode)(node) {
                1 => Access::Write,
                2 => Access::Both,
                _ => Access::Read,
            };
            let mut members = Vec::new();
            let is_category = kind == Kind::Category;
            let mut cell = if is_category { (f.arv_gc_category_get_features)(node) } else { ptr::null() };
            while !cell.is_null() {
                members.push(text((*cell).data.cast::<c_char>()));
                cell = (*cell).next;
            }
            let tooltip = text((f.arv_gc_feature_node_get_tooltip)(node));
            Some(Node { kind, access, tooltip, unit, members })
        }
    }

    /// Whether the feature can be used as the camera is set now.
    pub(crate) fn is_available(&self, name: &str) -> bool {
        self.get_feature(self.functions.arv_camera_is_feature_available, name).is_ok_and(|found| found != 0)
    }

    pub(crate) fn execute(&self, name: &str) -> Result<()> {
        self.get_feature(self.functions.arv_camera_execute_command, name)
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<bool> {
        Ok(self.get_feature(self.functions.arv_camera_get_boolean, name)? != 0)
    }

    pub(crate) fn set_boolean(&self, name: &str, value: bool) -> Result<()> {
        self.set_feature(self.functions.arv_camera_set_boolean, name, value.into())
    }

    pub(crate) fn integer(&self, name: &str) -> Result<i64> {
        self.get_feature(self.functions.arv_camera_get_integer, name)
    }

    pub(crate) fn set_integer(&self, name: &str, value: i64) -> Result<()> {
        self.set_feature(self.functions.arv_camera_set_integer, name, value)
    }

    pub(crate) fn integer_range(&self, name: &str) -> Result<Range<i64>> {
        self.bounds(self.functions.arv_camera_get_integer_bounds, name)
    }

    pub(crate) fn float(&self, name: &str) -> Result<f64> {
        self.get_feature(self.functions.arv_camera_get_float, name)
    }

    pub(crate) fn set_float(&self, name: &str, value: f64) -> Result<()> {
        self.set_feature(self.functions.arv_camera_set_float, name, value)
    }

    pub(crate) fn float_range(&self, name: &str) -> Result<Range<f64>> {
        self.bounds(self.functions.arv_camera_get_float_bounds, name)
    }

    /// The value of a text or of an enumeration.
    pub(crate) fn text(&self, name: &str) -> Result<String> {
        self.get_feature(self.functions.arv_camera_get_string, name).map(text)
    }

    pub(crate) fn set_text(&self, name: &str, value: &str) -> Result<()> {
        let value = c_text(value)?;
        self.set_feature(self.functions.arv_camera_set_string, name, value.as_ptr())
    }

    /// The names that an enumeration may have.
    pub(crate) fn entries(&self, name: &str) -> Result<Vec<String>> {
        let name = c_text(name)?;
        let mut count: c_uint = 0;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        let list = self.call(|camera, error| unsafe {
            let names = self.functions.arv_camera_dup_available_enumerations_as_strings;
            names(camera, name.as_ptr(), &mut count, error)
        })?;
        if list.is_null() {
            return Ok(Vec::new());
        }
        // SAFETY: the list has `count` texts, which belong to the description; the list itself is ours to free.
        let names = unsafe { std::slice::from_raw_parts(list, count as usize) };
        let names = names.iter().map(|name| text(*name)).collect();
        // SAFETY: see above; `names` are copies.
        unsafe { (self.functions.g_free)(list.cast()) };
        Ok(names)
    }

    fn text_of(&self, function: unsafe extern "C" fn(Object, Error) -> *const c_char) -> Result<String> {
        self.get(function).map(text)
    }

    fn get<T>(&self, function: unsafe extern "C" fn(Object, Error) -> T) -> Result<T> {
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe { function(camera, error) })
    }

    fn set<T>(&self, function: unsafe extern "C" fn(Object, T, Error), value: T) -> Result<()> {
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe { function(camera, value, error) })
    }

    fn get_feature<T>(
        &self,
        function: unsafe extern "C" fn(Object, *const c_char, Error) -> T,
        name: &str,
    ) -> Result<T> {
        let name = c_text(name)?;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe { function(camera, name.as_ptr(), error) })
    }

    fn set_feature<T>(
        &self,
        function: unsafe extern "C" fn(Object, *const c_char, T, Error),
        name: &str,
        value: T,
    ) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe { function(camera, name.as_ptr(), value, error) })
    }

    fn bounds<T: Default>(
        &self,
        function: unsafe extern "C" fn(Object, *const c_char, *mut T, *mut T, Error),
        name: &str,
    ) -> Result<Range<T>> {
        let name = c_text(name)?;
        let mut range = (T::default(), T::default());
        let (min, max) = (&mut range.0, &mut range.1);
        // SAFETY: the camera is alive (see `call`), and what else is given outlives the call.
        self.call(|camera, error| unsafe { function(camera, name.as_ptr(), min, max, error) })?;
        Ok(range)
    }

    /// Calls a function of this camera that may report an error: it gets the camera, which is alive, and a place for
    /// the error, which holds null.
    fn call<T>(&self, function: impl FnOnce(Object, Error) -> T) -> Result<T> {
        report(self.functions, |error| function(self.object, error))
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        // SAFETY: the reference is ours.
        unsafe { (self.functions.g_object_unref)(self.object) };
    }
}

fn open(functions: &'static Functions, name: &str) -> Result<Object> {
    let name = c_text(name)?;
    let wanted = if name.is_empty() { ptr::null() } else { name.as_ptr() };
    // SAFETY: null or a text that outlives the call.
    let object = report(functions, |error| unsafe { (functions.arv_camera_new)(wanted, error) })?;
    if object.is_null() { Err(CameraError::NoCamera) } else { Ok(object) }
}

/// The id of the device with this serial number, among the devices found by the last search.
fn id_of_serial(functions: &Functions, serial: &str) -> Option<String> {
    if serial.is_empty() {
        return None;
    }
    // SAFETY: the lists change only under the lock that the caller holds; texts are copied.
    unsafe {
        (functions.arv_update_device_list)();
        (0..(functions.arv_get_n_devices)())
            .find(|&index| text((functions.arv_get_device_serial_nbr)(index)) == serial)
            .map(|index| text((functions.arv_get_device_id)(index)))
    }
}

/// Calls `function`, and takes the error that it leaves.
fn report<T>(functions: &Functions, function: impl FnOnce(Error) -> T) -> Result<T> {
    let mut error = ptr::null_mut();
    let result = function(&mut error);
    if error.is_null() {
        return Ok(result);
    }
    // SAFETY: GLib made the error and left it to us; its text is copied before it is freed.
    let message = unsafe {
        let message = text((*error).message);
        (functions.g_error_free)(error);
        message
    };
    Err(CameraError::Aravis { message })
}

fn c_text(text: &str) -> Result<CString> {
    let refused = |_| Refusal::value("a text without a zero byte", format_args!("{text:?}"));
    Ok(CString::new(text).map_err(refused)?)
}

fn small<const N: usize>(values: [i64; N]) -> Result<[c_int; N]> {
    match values.iter().find(|value| c_int::try_from(**value).is_err()) {
        Some(value) => Err(Refusal::value(format!("0 to {}", c_int::MAX), value).into()),
        None => Ok(values.map(|value| value as c_int)),
    }
}

/// The camera is gone. Called on a thread of libaravis.
unsafe extern "C" fn set(_device: Object, lost: *mut c_void) {
    // SAFETY: the data of the signal: a reference that `forget` has not given back yet.
    unsafe { &*lost.cast::<AtomicBool>() }.store(true, Ordering::Release);
}

/// Gives the signal's reference back.
unsafe extern "C" fn forget(lost: *mut c_void, _closure: *mut c_void) {
    // SAFETY: it came from `Arc::into_raw`, and GLib calls this once.
    drop(unsafe { Arc::from_raw(lost.cast::<AtomicBool>()) });
}
